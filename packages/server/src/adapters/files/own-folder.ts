/**
 * Paraph's own folder holds the signing key and people's API keys: an agent that could read it could approve its own
 * calls. It is nobody's to see or touch, wherever below a root it lies, in whatever case a file system may fold.
 */
export function isOwnFolder(name: string): boolean {
  return name.normalize("NFKC").toLowerCase() === ".paraph";
}
