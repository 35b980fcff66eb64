// Records in the parts that mechanisms read, dragged between them with a pointer or moved with arrow keys.
// The model has the parts of records by number, and of each part a name and a look; nothing is decided here.

function render({ model, el }) {
  const board = document.createElement("div");
  board.className = "dpcompose-board";
  board.dataset.lmSuppressShortcuts = "true"; // a notebook has arrow keys of its own
  const parts = model.get("names").map((name, part) => {
    const box = document.createElement("div");
    box.className = "part";
    box.dataset.part = part;
    box.append(name);
    box.style.cssText = model.get("looks")[part];
    return box;
  });
  const within = (box, { clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    return left <= x && x <= right && top <= y && y <= bottom;
  };
  const move = (record, part) => {
    model.set("parts", { ...model.get("parts"), [record]: part });
    model.save_changes();
  };

  const chips = Object.keys(model.get("parts")).map((record) => {
    const chip = document.createElement("button");
    let start = null;
    chip.className = "record";
    chip.dataset.record = record;
    chip.textContent = record;
    chip.title = `record ${record}: drag it to another part, or press an arrow key`;
    chip.onpointerdown = (event) => {
      start = event;
      chip.setPointerCapture(event.pointerId);
      chip.classList.add("dragged");
    };
    chip.onpointermove = (event) => {
      if (!start) return;
      chip.style.transform = `translate(${event.clientX - start.clientX}px, ${event.clientY - start.clientY}px)`;
      for (const box of parts) box.classList.toggle("over", within(box, event));
    };
    const dropped = (event) => {
      if (!start) return;
      start = null;
      chip.style.transform = "";
      chip.classList.remove("dragged");
      for (const box of parts) box.classList.remove("over");
      const part = event.type === "pointerup" ? parts.findIndex((box) => within(box, event)) : -1;
      if (part >= 0 && part !== model.get("parts")[record]) move(record, part);
    };
    chip.onpointerup = chip.onpointercancel = dropped;
    chip.onkeydown = (event) => {
      const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      move(record, (model.get("parts")[record] + step + parts.length) % parts.length);
      chip.focus();
    };
    return chip;
  });

  const place = () => {
    for (const chip of chips) {
      const box = parts[model.get("parts")[chip.dataset.record]];
      if (chip.parentElement !== box) box.append(chip);
    }
  };
  board.append(...parts);
  el.append(board);
  place();
  model.on("change:parts", place);
  return () => model.off("change:parts", place);
}

export default { render };
