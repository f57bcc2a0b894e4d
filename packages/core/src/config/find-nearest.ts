/** Returns the candidate that a misspelt name most likely means, or undefined if none is close. */
export function findNearest(name: string, candidates: Iterable<string>): string | undefined {
  const wanted = name.toLowerCase();
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of candidates) {
    const known = candidate.toLowerCase();
    const isPrefix = wanted.length > 2 && (known.startsWith(wanted) || wanted.startsWith(known));
    const distance = wanted !== known && isPrefix ? 1 : editDistance(wanted, known);
    const isClose = distance <= Math.max(1, Math.floor(Math.min(wanted.length, known.length) / 3) + 1);
    if (isClose && (best === undefined || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

/** Counts insertions, deletions, substitutions and swaps of neighbouring characters. */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > maxLengthDifference) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      row[j] = Math.min(rows[i - 1]![j]! + 1, row[j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j]!, rows[i - 2]![j - 2]! + 1);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

const maxLengthDifference = 5;
