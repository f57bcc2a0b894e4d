/**
 * Returns the canonical spelling of a mail address, with its domain in lower case, and throws if the text is none. The
 * accepted characters cannot end a property, a parameter or a URL.
 */
export function readEmail(raw: string): string {
  const match = /^([A-Za-z0-9.!#$&'*+/=?^_`{|}~-]{1,64})@((?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63})$/.exec(
    raw.trim(),
  );
  if (!match || raw.length > 254) throw new Error("not a mail address");
  return `${match[1]}@${match[2]!.toLowerCase()}`;
}

export function isEmail(raw: string): boolean {
  try {
    readEmail(raw);
    return true;
  } catch {
    return false;
  }
}

/** Whether two mail addresses belong to the same mailbox. Hardly any server tells upper from lower case. */
export function isSamePerson(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
