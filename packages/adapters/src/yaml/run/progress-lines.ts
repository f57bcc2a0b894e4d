/**
 * Returns a function that passes on only complete lines, so that Paraph also finds a secret that arrives in two parts.
 */
export function createLineSplitter(
  tell: (lines: string) => void,
): (chunk: string, stream: "stdout" | "stderr") => void {
  const begun = { stdout: "", stderr: "" };
  return (chunk, stream) => {
    const lines = (begun[stream] + chunk).split("\n");
    // If an unfinished line is too long, a marker replaces it, so that the line does not fill the memory. The line is
    // dropped when it ends.
    const last = lines.pop()!;
    begun[stream] = last.length > maxLineLength ? tooLongMark : last;
    const told = lines.filter((line) => !line.startsWith(tooLongMark));
    if (told.length > 0) tell(`${told.join("\n")}\n`);
  };
}

const maxLineLength = 64 * 1024;
const tooLongMark = "\0too long\0";
