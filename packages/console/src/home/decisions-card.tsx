import { Link } from "@tanstack/react-router";
import type { InboxItem } from "../api/types.ts";
import { InboxRow } from "../inbox/inbox-row.tsx";
import { Card } from "../ui/card.tsx";

/** The requests that expire soonest. */
export function DecisionsCard({ items }: { readonly items: readonly InboxItem[] }) {
  return (
    <Card
      title="Soonest first"
      more={
        <Link to="/inbox" className="link">
          Open inbox
        </Link>
      }
    >
      <ul className="[&>li:last-child>a]:border-b-0">
        {items.map((item) => (
          <li key={item.approval}>
            <InboxRow item={item} isSelected={false} />
          </li>
        ))}
      </ul>
    </Card>
  );
}
