const units = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

/** Formats a size with at most one decimal, for example as `512 MiB` or `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const scaled = bytes / 1_024 ** power;
  return `${scaled.toFixed(scaled < 10 ? 1 : 0).replace(".0", "")} ${units[power]}`;
}
