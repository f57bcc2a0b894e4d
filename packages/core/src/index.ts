export * from "./capability.ts";
