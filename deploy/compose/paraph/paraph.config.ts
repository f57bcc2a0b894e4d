import { defineConfig, files } from "paraph";

export default defineConfig({
  policy: "balanced",
  identity: { url: "https://paraph.example.com" },
  // A folder of the volume `state`, because the rest of the file system is read-only.
  adapters: { files: files({ root: "/var/lib/paraph/workspace" }) },
});
