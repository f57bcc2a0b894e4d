import { Link } from "@tanstack/react-router";
import type { InboxItem } from "../api/types.ts";
import { InboxRow } from "../inbox/inbox-row.tsx";
import { Card } from "../ui/card.tsx";

const maxItems = 4;

/** The requests that expire soonest: those that the reader decides, or the reader's own that others decide. */
export function DecisionsCard({
  title,
  tab,
  items,
}: {
  readonly title: string;
  /** The tab of the inbox with all of them. */
  readonly tab?: "others";
  readonly items: readonly InboxItem[];
}) {
  return (
    <Card
      title={title}
      more={
        <Link to="/inbox" search={{ tab }} className="link">
          Open inbox
        </Link>
      }
    >
      <ul className="[&>li:last-child>a]:border-b-0">
        {items.slice(0, maxItems).map((item) => (
          <li key={item.approval}>
            <InboxRow item={item} isSelected={false} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
