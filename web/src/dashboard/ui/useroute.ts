import { useEffect, useState } from "preact/hooks";
import { type Route, parseRoute } from "../model/route";

/** The view that the URL names. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const changed = () => {
      if (/^#(handoff|token)=/.test(location.hash)) {
        location.reload(); // the open connections use another token
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
