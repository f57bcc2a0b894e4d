/**
 * Paraph's own folder holds the signing key and people's API keys: an agent that could read it could approve its own
 * calls. It is nobody's to see or touch, wherever it lies, and however a file system may read its name.
 */
export function isParaphFolder(name: string): boolean {
  return foldFileName(name) === ".paraph";
}

/** A name as the file systems of macOS and Windows read it: without case, invisible characters, spaces and dots at its end. */
export function foldFileName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/\p{C}/gu, "")
    .replace(/[ .]+$/, "")
    .toLowerCase();
}
