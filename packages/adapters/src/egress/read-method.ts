/** The methods that change nothing. `PROPFIND` and `REPORT` are the reads of WebDAV. */
const readMethods: readonly string[] = ["GET", "HEAD", "PROPFIND", "REPORT"];

export function isReadMethod(method: string): boolean {
  return readMethods.includes(method);
}
