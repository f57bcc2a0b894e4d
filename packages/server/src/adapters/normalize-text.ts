/**
 * [TRUST 30] For an input's schema: the one spelling of a text, so that policy, grants, locks and people see what will be
 * used. A text without one is kept as it is, and refused where it would be used.
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
