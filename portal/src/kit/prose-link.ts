/** A link within a sentence. It is underlined, because colour alone is not enough to see it. */
export const PROSE_LINK = "text-sea underline";
