/** RFC 7493 forbids noncharacters in I-JSON: U+FDD0 to U+FDEF and the last two code points of each plane. */
export function isNoncharacter(codePoint: number): boolean {
  return (codePoint & 0xfffe) === 0xfffe || (codePoint >= 0xfdd0 && codePoint <= 0xfdef);
}

export function isHighSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xd800 && codeUnit <= 0xdbff;
}

export function isLowSurrogate(codeUnit: number): boolean {
  return codeUnit >= 0xdc00 && codeUnit <= 0xdfff;
}

/** A code point in the notation of the Unicode standard, such as U+FFFE. */
export function nameCodePoint(codePoint: number): string {
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, "0")}`;
}
