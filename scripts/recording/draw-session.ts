import { renderTerminalText } from "./terminal-text.ts";

/** A command of the session, with what it printed on a terminal. */
export interface RecordedCommand {
  /** The command as a person types it. */
  readonly command: string;
  readonly output: string;
}

const size = { font: 14, line: 20, character: 8.43, margin: 20, bar: 34 };

/** Draws a session as an SVG that shows one command after another. Without animation it shows the whole session. */
export function drawSession(session: readonly RecordedCommand[], columns: number): string {
  const lines = session.flatMap(({ command, output }, step) => [
    {
      step,
      isCommand: true,
      runs: [
        { text: "$ ", classes: ["dim"] },
        { text: command, classes: ["bold"] },
      ],
    },
    ...renderTerminalText(output.replace(/\s+$/, "")).map((runs) => ({ step, isCommand: false, runs })),
    { step, isCommand: false, runs: [] },
  ]);
  const width = Math.round(columns * size.character + 2 * size.margin);
  const height = size.bar + lines.length * size.line + size.margin;
  const texts = lines.map(({ step, isCommand, runs }, index) => {
    const spans = runs.map(({ text, classes }) => {
      const names = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
      return `<tspan${names}>${escapeXml(text)}</tspan>`;
    });
    const begin = step * 2.5 + (isCommand ? 0 : 1);
    const y = size.bar + (index + 1) * size.line;
    return `<text x="${size.margin}" y="${y}" style="animation-delay:${begin}s">${spans.join("")}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal session: ${escapeXml(session.map(({ command }) => command).join("; "))}">
<style>
text{font:${size.font}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d7dbe0;white-space:pre;opacity:0;animation:show .2s forwards}
.bold{font-weight:700}.dim{fill:#8b949e}.italic{font-style:italic}.underline{text-decoration:underline}
.red{fill:#ff8a80}.green{fill:#7ee2a0}.yellow{fill:#f2cc60}.blue{fill:#79b8ff}.magenta{fill:#d2a8ff}.cyan{fill:#76d9e6}
@keyframes show{to{opacity:1}}
@media (prefers-reduced-motion:reduce){text{animation:none;opacity:1}}
</style>
<rect width="${width}" height="${height}" rx="10" fill="#161b22"/>
<g fill="#3d444d"><circle cx="22" cy="18" r="6"/><circle cx="42" cy="18" r="6"/><circle cx="62" cy="18" r="6"/></g>
${texts.join("\n")}
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
