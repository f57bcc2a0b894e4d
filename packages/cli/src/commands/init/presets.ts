/** The presets of policy, from the loosest to the strictest, with what they ask. */
const presets = {
  permissive: "ask a person only before risky or destructive calls",
  balanced: "ask a person before an agent changes something",
  strict: "ask a person before anyone changes something",
};

export const presetNames: readonly string[] = Object.keys(presets);

/** Formats one line for each preset. */
export function formatPresets(): string {
  return Object.entries(presets)
    .map(([name, text]) => `  ${name.padEnd(11)}  ${text}`)
    .join("\n");
}
