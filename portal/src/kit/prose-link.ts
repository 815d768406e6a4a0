/** A link within a sentence: underlined, since its colour alone does not set it apart. */
export const PROSE_LINK = "text-sea underline";
