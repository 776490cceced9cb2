import { useEffect, useState } from "preact/hooks";
import { type Route, parseRoute } from "../model/route";

/** The place that the address names. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => {
      if (/^#(handoff|token)=/.test(location.hash)) {
        location.reload(); // for another secret than that of the connections that there are
        return;
      }
      setHash(location.hash);
      scrollTo(0, 0);
    };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return parseRoute(hash);
}
