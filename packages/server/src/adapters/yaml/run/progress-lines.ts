/** Whole lines only, each once it is complete: a secret is not missed because it came in two halves. */
export function createLineSplitter(
  tell: (lines: string) => void,
): (chunk: string, stream: "stdout" | "stderr") => void {
  const begun = { stdout: "", stderr: "" };
  return (chunk, stream) => {
    const lines = (begun[stream] + chunk).split("\n");
    // One that never ends is not told, and does not fill the memory: only that it was too long is kept.
    const last = lines.pop()!;
    begun[stream] = last.length > maxLineLength ? tooLongMark : last;
    const told = lines.filter((line) => !line.startsWith(tooLongMark));
    if (told.length > 0) tell(`${told.join("\n")}\n`);
  };
}

const maxLineLength = 64 * 1024;
const tooLongMark = "\0too long\0";
