/** Renders the text of a new `paraph.config.ts`. */
export function renderConfiguration({
  workspace,
  policy,
}: {
  readonly workspace: string;
  readonly policy: string;
}): string {
  return `import { defineConfig, files } from "paraph";

// After a change, press Enter in the terminal of \`paraph dev\`, or restart \`paraph start\`. \`paraph doctor\` checks this file.
export default defineConfig({
  // Rules on every call: permissive, balanced or strict. Add your own policies to policies/*.cedar.
  policy: ${JSON.stringify(policy)},

  // Adapters give agents their capabilities. This one reads and changes the files below one folder.
  adapters: {
    files: files({ root: ${JSON.stringify(workspace)} }),
  },

  // The public address of \`paraph start\`, for login links and MCP.
  // identity: { url: "https://paraph.example.com" },
});
`;
}
