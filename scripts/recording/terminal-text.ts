/** A run of characters of one style on a line of a terminal. */
export interface StyledText {
  readonly text: string;
  readonly classes: readonly string[];
}

const styles: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  3: "italic",
  4: "underline",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
  90: "dim",
};
/** The codes that end a style. */
const ends: Readonly<Record<string, readonly string[]>> = {
  22: ["bold", "dim"],
  23: ["italic"],
  24: ["underline"],
  39: ["red", "green", "yellow", "blue", "magenta", "cyan"],
};

const escapeCharacter = "\u001b";
const controls = new RegExp(`(${escapeCharacter}\\[[0-9;?]*[A-Za-z]|\\r|\\n)`);

/** Converts the output of a program on a terminal to the lines that remain visible at its end. */
export function renderTerminalText(output: string): StyledText[][] {
  const lines: { character: string; classes: readonly string[] }[][] = [[]];
  let classes: readonly string[] = [];
  let column = 0;
  for (const part of output.split(controls)) {
    const line = lines.at(-1)!;
    const code = part.startsWith(`${escapeCharacter}[`) ? /^(\d*)m$/.exec(part.slice(2))?.[1] : undefined;
    if (part === "\n") {
      lines.push([]);
      column = 0;
    } else if (part === "\r") column = 0;
    else if (part === `${escapeCharacter}[K`) line.length = column;
    else if (code !== undefined) {
      const style = styles[code];
      if (style === undefined) classes = classes.filter((name) => !(ends[code] ?? classes).includes(name));
      else classes = [...classes, style];
    } else if (!part.startsWith(escapeCharacter)) {
      for (const character of part) line[column++] = { character, classes };
    }
  }
  return lines.map((line) => {
    const runs: { text: string; classes: readonly string[] }[] = [];
    for (const { character, classes } of line) {
      const last = runs.at(-1);
      if (last && last.classes.join() === classes.join()) last.text += character;
      else runs.push({ text: character, classes });
    }
    return runs;
  });
}
