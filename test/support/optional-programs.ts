/**
 * Returns whether a program that some tests need is installed. Without the program, a developer's machine skips those
 * tests. CI fails instead, because a skipped test proves nothing.
 */
export function hasProgram(isInstalled: boolean, part: string, install: string): boolean {
  if (isInstalled) return true;
  if (process.env.CI)
    throw new Error(`${part} is not installed, and CI must not skip its tests. Run: ${install}`);
  console.warn(`${part} is not installed: its tests are skipped. Run: ${install}`);
  return false;
}
