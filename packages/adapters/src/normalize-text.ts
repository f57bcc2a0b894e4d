/**
 * [TRUST 30] Returns a transform for input schemas that converts a text to its canonical form. Policy, grants, locks
 * and approvers then see the value that the capability uses. A text without a canonical form stays unchanged, and the
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
