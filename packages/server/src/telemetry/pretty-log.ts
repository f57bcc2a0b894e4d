const colours: Readonly<Record<string, string>> = { debug: "90", info: "32", warn: "33", error: "31" };

/** Formats a log line for people: time, level, code, then the fields. */
export function formatPrettyLine(line: string, colour: boolean): string {
  const { time, level, code, ...fields } = JSON.parse(line) as Record<string, string | number>;
  const paint = (style: string, text: string) => (colour ? `\u001b[${style}m${text}\u001b[0m` : text);
  const named = Object.entries(fields).map(([name, value]) => `${paint("90", `${name}=`)}${value}`);
  return `${[
    paint("90", String(time).slice(11, 23)),
    paint(colours[level ?? ""] ?? "0", String(level).padEnd(5)),
    paint("1", String(code)),
    ...named,
  ].join(" ")}\n`;
}
