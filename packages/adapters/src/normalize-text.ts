/**
 * [TRUST 30] Returns a function for an input's schema that gives a text its one canonical form. Policy, grants, locks
 * and approvers then see the value that the capability uses. A text without a canonical form stays as it is, and the
 * capability rejects it.
 */
export function normalizeOrKeep(spell: (text: string) => string): (text: string) => string {
  return (text) => {
    try {
      return spell(text);
    } catch {
      return text;
    }
  };
}
