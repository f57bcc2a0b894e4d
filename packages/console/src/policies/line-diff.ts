/** A line of a comparison, with its number in the text it comes from. */
export interface ComparedLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  readonly number: number;
}

/** Larger texts are compared as a whole, because the comparison needs memory for each pair of lines. */
const maxPairs = 4_000_000;

/** Compares two texts by their longest common sequence of lines. */
export function compareLines(before: string, after: string): readonly ComparedLine[] {
  const [old, now] = [before, after].map((text) => (text === "" ? [] : text.replace(/\n$/, "").split("\n")));
  if (!old || !now) return [];
  if (old.length * now.length > maxPairs) return [...old.map(toLine("removed")), ...now.map(toLine("added"))];
  const width = now.length + 1;
  // Each cell is the length of the longest sequence that the rests of both texts have in common.
  const common = new Uint16Array((old.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = now.length - 1; j >= 0; j -= 1)
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: ComparedLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: "same", text: now[j] ?? "", number: j + 1 });
      i += 1;
      j += 1;
    } else if (i < old.length && (j === now.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: old[i] ?? "", number: i + 1 });
      i += 1;
    } else {
      lines.push({ kind: "added", text: now[j] ?? "", number: j + 1 });
      j += 1;
    }
  }
  return lines;
}

function toLine(kind: "added" | "removed") {
  return (text: string, index: number): ComparedLine => ({ kind, text, number: index + 1 });
}
