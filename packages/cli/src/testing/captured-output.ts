import { createOutput, type OutputStream, type Paint } from "../lib/terminal/output.ts";

/**
 * Creates a paint without colours. Without `width` it is for a pipe, and with `width` it is for a terminal of that
 * width.
 */
export function createPlainPaint(width?: number): Paint {
  return Object.assign((_: unknown, text: string) => text, { width });
}

export function captureOutput(
  options: { tty?: boolean; columns?: number; environment?: NodeJS.ProcessEnv; color?: boolean } = {},
) {
  const written = { stdout: "", stderr: "" };
  const stream = (name: keyof typeof written): OutputStream => ({
    write: (text) => {
      written[name] += text;
    },
    isTTY: options.tty ?? false,
    columns: options.columns ?? 80,
  });
  const output = createOutput(stream("stdout"), stream("stderr"), options.environment ?? {}, {
    color: options.color ?? true,
  });
  return { output, written };
}
