/**
 * Returns a media type (RFC 9110, section 8.3.1) in a canonical form, so that equal types are equal texts. Undefined if
 * the text is not a media type.
 */
export function canonicalMediaType(text: string): string | undefined {
  const [, type = "", rest = ""] = HEAD.exec(text.trim()) ?? [];
  if (type === "") return undefined;
  const parameters: string[] = [];
  let at = 0;
  while (at < rest.length) {
    PARAMETER.lastIndex = at;
    const found = PARAMETER.exec(rest);
    if (found === null) return undefined;
    at = PARAMETER.lastIndex;
    const [, name, token, quoted] = found;
    if (name === undefined) continue; // an empty parameter, which the grammar allows
    const value = token ?? (quoted ?? "").replace(/\\(.)/g, "$1");
    const isCaseless = name.toLowerCase() === "charset";
    parameters.push(`${name.toLowerCase()}=${JSON.stringify(isCaseless ? value.toLowerCase() : value)}`);
  }
  return [type.toLowerCase(), ...parameters].join(";");
}

/** Returns the type without parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";
const HEAD = new RegExp(`^(${TOKEN}/${TOKEN})((?:[ \\t]*;.*)?)$`);
const PARAMETER = new RegExp(
  `[ \\t]*;[ \\t]*(?:(${TOKEN})=(?:(${TOKEN})|"((?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e]|\\\\[\\t \\x21-\\x7e])*)"))?[ \\t]*`,
  "y",
);
