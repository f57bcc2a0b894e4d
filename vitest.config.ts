import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: { conditions: ["paraph-source"] },
  ssr: { resolve: { conditions: ["paraph-source"] } },
  test: {
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
