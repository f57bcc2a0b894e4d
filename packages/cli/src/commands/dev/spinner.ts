import { formatDuration } from "../../lib/terminal/format-time.ts";
import type { CliOutput } from "../../lib/terminal/output.ts";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** Creates a progress indicator: a spinner on a terminal, and one plain line per step elsewhere. */
export function createSpinner(output: CliOutput): { step(text: string): void; stop(): void } {
  const start = performance.now();
  let now = "";
  let frame = 0;
  const draw = () => {
    const { paintInfo } = output;
    frame = (frame + 1) % frames.length;
    output.status(
      `${paintInfo("cyan", frames[frame]!)} ${now} ${paintInfo("dim", formatDuration(performance.now() - start))}`,
    );
  };
  const timer = output.isInteractive ? setInterval(() => now !== "" && draw(), 80) : undefined;
  return {
    step(text) {
      now = text;
      if (output.isInteractive) draw();
      else output.info(`${text} …`);
    },
    stop() {
      clearInterval(timer);
      output.status("");
    },
  };
}
