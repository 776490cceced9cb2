import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Link, Route, Routes, useNavigate, useParams } from "react-router-dom";
import { asUsername, blank, itemAt, moved, onDialogKey, problems, tasks } from "../shared.js";

export default function App() {
  const [open, setOpen] = useState(false);
  const opener = useRef(null);
  const close = () => {
    setOpen(false);
    opener.current.focus();
  };
  return (
    <>
      <nav>
        <Link to="/">Sign up</Link> <Link to="/tasks">Tasks</Link> <Link to="/articles/1">Articles</Link>
      </nav>
      <button ref={opener} onClick={() => setOpen(true)}>Open dialog</button>
      <Routes>
        <Route path="/" element={<SignUp />} />
        <Route path="/tasks" element={<Tasks />} />
        <Route path="/articles/:id" element={<Article />} />
      </Routes>
      {open && createPortal(<Dialog close={close} />, document.body)}
    </>
  );
}

function SignUp() {
  const [values, setValues] = useState(blank);
  const [touched, setTouched] = useState({});
  const [done, setDone] = useState("");
  const wrong = problems(values);
  const set = (field, value) => setValues((old) => ({ ...old, [field]: value }));
  const text = (field, as = (v) => v) => ({
    value: values[field],
    onChange: (e) => set(field, as(e.target.value)),
    onBlur: () => setTouched((old) => ({ ...old, [field]: true })),
  });
  const submit = (event) => {
    event.preventDefault();
    setTouched({ name: true, username: true, email: true, terms: true });
    setDone(Object.keys(wrong).length ? "" : `Welcome, ${values.name}!`);
  };
  return (
    <main>
      <h1>Sign up</h1>
      <form onSubmit={submit} noValidate>
        <label>Name <input {...text("name")} /></label>
        <label>Username <input {...text("username", asUsername)} /></label>
        <label>Email <input type="email" {...text("email")} /></label>
        <label>Bio <textarea {...text("bio")} /></label>
        <label>Plan <select {...text("plan")}><option value="free">Free</option><option value="pro">Professional</option></select></label>
        {["small", "large"].map((size) => (
          <label key={size}>
            <input type="radio" name="size" value={size} checked={values.size === size} onChange={() => set("size", size)} /> {size}
          </label>
        ))}
        <label><input type="checkbox" checked={values.terms} onChange={(e) => set("terms", e.target.checked)} /> Accept terms</label>
        <button>Create account</button>
      </form>
      {Object.keys(wrong).filter((field) => touched[field]).map((field) => <p role="alert" key={field}>{wrong[field]}</p>)}
      <p role="status">{done}</p>
      <pre data-testid="values">{JSON.stringify(values)}</pre>
    </main>
  );
}

function Article() {
  const { id } = useParams();
  const navigate = useNavigate();
  useEffect(() => { document.title = `Article ${id}`; }, [id]);
  return (
    <main>
      <h1>Article {id}</h1>
      <button onClick={() => navigate(`/articles/${Number(id) + 1}`)}>Next</button>
    </main>
  );
}

function Tasks() {
  const [dropped, setDropped] = useState(tasks);
  const [pulled, setPulled] = useState(tasks);
  const held = useRef(null);
  const drop = (event, place) => {
    event.preventDefault();
    const item = event.dataTransfer.getData("text/plain");
    setDropped((list) => moved(list, item, place));
  };
  const hold = (event) => {
    held.current = event.target.dataset.item;
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const pull = (event) => {
    const [item, place] = [held.current, itemAt(event.currentTarget, event.clientY)];
    if (item) setPulled((list) => moved(list, item, place));
  };
  return (
    <main>
      <h1>Tasks</h1>
      <ul aria-label="Drag and drop">
        {dropped.map((item) => (
          <li key={item} draggable onDragStart={(e) => e.dataTransfer.setData("text/plain", item)}
            onDragOver={(e) => e.preventDefault()} onDrop={(e) => drop(e, item)}>{item}</li>
        ))}
      </ul>
      <ul aria-label="Pointer" onPointerDown={hold} onPointerMove={pull} onPointerUp={() => { held.current = null; }}>
        {pulled.map((item) => <li key={item} data-item={item}>{item}</li>)}
      </ul>
    </main>
  );
}

function Dialog({ close }) {
  const dialog = useRef(null);
  useEffect(() => dialog.current.querySelector("input").focus(), []);
  return (
    <div className="shade">
      <div role="dialog" aria-modal="true" aria-label="Feedback" ref={dialog} onKeyDown={(e) => onDialogKey(e, dialog.current, close)}>
        <label>Message <input /></label>
        <button>Send</button>
        <button onClick={close}>Close</button>
      </div>
    </div>
  );
}
