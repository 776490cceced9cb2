import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  title: string;
  problem: string;
  logIn(token: string): void;
  /** What the token is for. */
  children: ComponentChildren;
}

export function Login({ title, problem, logIn, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []);
  const submit = (event: Event) => {
    event.preventDefault();
    const token = input.current!.value.trim();
    if (token) logIn(token);
  };
  return (
    <section class="card narrow" aria-labelledby="login">
      <h1 id="login">{title}</h1>
      <form onSubmit={submit}>
        <p>{children} The token stays in this tab.</p>
        <label for="token">Token</label>
        <div class="row">
          <input ref={input} id="token" type="password" autocomplete="off" spellcheck={false} required />
          <button type="submit" class="main">
            Show
          </button>
        </div>
      </form>
      {problem && (
        <p class="alert" role="alert">
          {problem}
        </p>
      )}
    </section>
  );
}
