/**
 * Whether a file name means Paraph's own folder, which contains the signing key and people's API keys. An agent that
 * could read the folder could approve its own calls. No capability may therefore read or change the folder, regardless
 * of its location and of how a file system interprets its name.
 */
export function isParaphFolder(name: string): boolean {
  return foldFileName(name) === ".paraph";
}

/**
 * Converts a name as the file systems of macOS and Windows do. They ignore case, invisible characters, and spaces and
 * dots at the end.
 */
export function foldFileName(name: string): string {
  const visible = name.normalize("NFKC").replace(/\p{C}/gu, "");
  let end = visible.length;
  // [TRUST 24] A pattern for the end of the name would take quadratic time.
  while (visible[end - 1] === " " || visible[end - 1] === ".") end -= 1;
  return visible.slice(0, end).toLowerCase();
}
