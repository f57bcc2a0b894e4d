/** The names of the check levels. Each level includes the checks of the previous one. */
export const checkLevelNames = ["basic", "standard", "thorough"] as const;
/** The name of a check level. */
export type CheckLevel = (typeof checkLevelNames)[number];

/** The names of the checks that each level includes. */
export type CheckLevels = Readonly<Record<CheckLevel, readonly string[]>>;

const basic = ["check.secrets", "check.syntax"];
const standard = [...basic, "check.recipients", "check.links", "check.size", "check.rate"];

/**
 * The default checks of each level. Only `thorough` uses a model, because a model costs money, takes seconds and must
 * be configured first.
 */
export const defaultCheckLevels: CheckLevels = {
  basic,
  standard,
  thorough: [...standard, "check.review", "check.claims"],
};
