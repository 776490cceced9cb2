import type { ComponentChildren } from "preact";

/** A section with one table; the children are its rows. */
export function Table({
  id,
  title,
  columns,
  children,
}: {
  id: string;
  title: string;
  columns: string[];
  children: ComponentChildren;
}) {
  return (
    <section class="panel" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <table>
        <thead>
          <tr>
            {columns.map((c) => (
              <th key={c} scope="col">
                {c}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
