import { useInfiniteQuery } from "@tanstack/react-query";
import { inboxQuery } from "../api/queries.ts";
import { CountBadge } from "../ui/count-badge.tsx";
import { isForReader } from "./for-reader.ts";

/** The number of loaded requests that wait for the reader. */
export function InboxCount() {
  const { data } = useInfiniteQuery(inboxQuery);
  const count = data?.pages.flatMap(({ items }) => items).filter(isForReader).length ?? 0;
  const isPartial = data?.pages.at(-1)?.next !== undefined;
  return <CountBadge count={count} isPartial={isPartial} description="wait for you" />;
}
