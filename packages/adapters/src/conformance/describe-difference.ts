/** Describes the first difference between two snapshots. */
export function describeDifference(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const at = old.findIndex((line, index) => line !== now[index]);
  const line = at < 0 ? old.length : at;
  return `line ${line + 1} was ${formatLine(old[line])} and is ${formatLine(now[line])}`;
}

function formatLine(line: string | undefined): string {
  if (line === undefined) return "not there";
  return `\`${line.length > 80 ? `${line.slice(0, 79)}…` : line}\``;
}
