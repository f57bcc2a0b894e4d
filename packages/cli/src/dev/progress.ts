import type { Output } from "../output.ts";
import { span } from "../times.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** What takes time: a turning line on a terminal, one plain line per step elsewhere. */
export function progressOn(output: Output): { step(text: string): void; stop(): void } {
  const start = performance.now();
  let now = "";
  let frame = 0;
  const draw = () => {
    const { paintTalk } = output;
    frame = (frame + 1) % frames.length;
    output.status(
      `${paintTalk("cyan", frames[frame]!)} ${now} ${paintTalk("dim", span(performance.now() - start))}`,
    );
  };
  const timer = output.watched ? setInterval(() => now !== "" && draw(), 80) : undefined;
  return {
    step(text) {
      now = text;
      if (output.watched) draw();
      else output.say(`${text} …`);
    },
    stop() {
      clearInterval(timer);
      output.status("");
    },
  };
}
