import { readFileSync } from "node:fs";

const names = ["icon-192", "icon-512", "maskable-512", "apple-touch-180"] as const;

/** The icons of the installed pages, by their path. */
export const icons: ReadonlyMap<string, Buffer<ArrayBuffer>> = new Map(
  names.map((name) => [`/icons/${name}.png`, readFileSync(new URL(`./icons/${name}.png`, import.meta.url))]),
);
