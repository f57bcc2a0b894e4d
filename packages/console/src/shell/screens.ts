import type { LinkProps } from "@tanstack/react-router";
import {
  ChartColumn,
  CircleHelp,
  Fingerprint,
  House,
  Inbox,
  ListChecks,
  ListTree,
  type LucideIcon,
  Plug,
  Scale,
  ScrollText,
  Stamp,
  Users,
} from "lucide-react";
import type { ComponentType } from "react";
import { InboxCount } from "../inbox/inbox-count.tsx";
import { UnknownCount } from "../unknown/unknown-count.tsx";

/** An entry of the navigation. The sidebar, the tab bar of a phone, the keys and their help all use this list. */
export interface Screen {
  readonly name: string;
  readonly path: NonNullable<LinkProps["to"]>;
  readonly icon: LucideIcon;
  /** The key that opens the screen after G. */
  readonly key: string;
  /** The heading above the first entry of a group. Entries without a group come first. */
  readonly group?: "Govern" | "Prove";
  /** Whether the tab bar of a phone has the entry. The others are behind “More”. */
  readonly isTab?: true;
  /** Whether the screen is about the reader. The sidebar has it beside their name. */
  readonly isOwn?: true;
  /** Shows the number of waiting items beside the name. */
  readonly count?: ComponentType;
}

/** The screens in the order of the sidebar. */
export const screens: readonly Screen[] = [
  { name: "Home", path: "/", icon: House, key: "h" },
  { name: "Inbox", path: "/inbox", icon: Inbox, key: "i", isTab: true, count: InboxCount },
  { name: "Calls", path: "/calls", icon: ListTree, key: "c", isTab: true },
  { name: "Unknown", path: "/unknown", icon: CircleHelp, key: "u", count: UnknownCount },
  { name: "Plans", path: "/plans", icon: ListChecks, key: "p" },
  { name: "Statistics", path: "/statistics", icon: ChartColumn, key: "s" },
  { name: "Policies", path: "/policies", icon: Scale, key: "o", group: "Govern" },
  { name: "Agents and people", path: "/people", icon: Users, key: "a", group: "Govern" },
  { name: "Capabilities", path: "/capabilities", icon: Plug, key: "b", group: "Govern" },
  { name: "Activity", path: "/activity", icon: ScrollText, key: "v", group: "Prove" },
  { name: "Receipts", path: "/receipts", icon: Stamp, key: "r", group: "Prove" },
  { name: "Passkeys", path: "/passkeys", icon: Fingerprint, key: "k", isOwn: true },
];
