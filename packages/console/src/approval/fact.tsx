import { Foreign } from "../lib/foreign.tsx";
import { formatDuration, formatTime, useNow } from "../lib/time.ts";

/** The time that is left, for screens whose bar has no place for it. */
export function TimeLeft({ expiresAt }: { readonly expiresAt: string }) {
  const now = useNow(expiresAt);
  const left = Date.parse(expiresAt) - now;
  return (
    <span
      className={`ml-auto text-sm lg:hidden ${left < 15 * 60_000 ? "font-semibold text-critical" : "text-muted"}`}
    >
      {left > 0 ? `${formatDuration(left)} left, until ${formatTime(expiresAt, now)}` : "Expired"}
    </span>
  );
}

/** The fact: the largest text of the screen. */
export function Fact({ text }: { readonly text: string }) {
  return (
    <h1
      id="fact"
      tabIndex={-1}
      className="my-2 text-[28px] leading-8.5 font-semibold tracking-[-0.015em] outline-none max-md:text-[27px] max-md:leading-8 min-[390px]:max-md:text-[30px] min-[390px]:max-md:leading-9"
    >
      <Foreign text={text} />
    </h1>
  );
}
