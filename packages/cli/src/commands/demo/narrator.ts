import type { Context } from "../../lib/context.ts";
import { wrapToWidth } from "../../lib/terminal/width.ts";

/** Tells the story of the demo in numbered chapters. */
export interface Narrator {
  /** Begins a chapter: what happens, why it matters, and the command that does the same. */
  chapter(title: string, text: string, command: string): void;
  tell(text: string): void;
  /** Shows text that is not part of the story, such as the content of a file. */
  show(text: string): void;
}

export function createNarrator({ output, json }: Pick<Context, "output" | "json">): Narrator {
  const paint = output.paintInfo;
  let number = 0;
  const print = (text: string) => {
    if (!json) output.info(text);
  };
  const wrap = (text: string) => wrapToWidth(text, paint.width && Math.min(paint.width, 100) - 3);
  const tell = (text: string) =>
    print(
      wrap(text)
        .map((line) => `   ${line}`)
        .join("\n"),
    );
  return {
    chapter(title, text, command) {
      number += 1;
      print(`\n${paint(["bold", "cyan"], `${number}`)}  ${paint("bold", title)}`);
      tell(text);
      print(`   ${paint("dim", `$ ${command}`)}\n`);
    },
    tell,
    show: (text) =>
      print(
        text
          .split("\n")
          .map((line) => `   ${line}`)
          .join("\n"),
      ),
  };
}
