// Small helpers for the page's elements. Text goes in as text, never as HTML.

export function at<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

export function make(tag: string, text = '', name = ''): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
}

export function make_option(value: string, text: string): HTMLOptionElement {
  const option = make('option', text) as HTMLOptionElement;
  option.value = value;
  return option;
}

export interface Chip {
  key: string;
  title: string;
  on: boolean;
  mark?: string; // colour of its line
  act: (on: boolean, alone: boolean) => void;
}

const actions = new WeakMap<HTMLElement, Chip['act']>();

/** Small buttons that stay pressed. The same ones are updated in place, so that the keyboard's focus stays. */
export function show_chips(box: HTMLElement, chips: Chip[]): void {
  const there = [...box.children] as HTMLElement[];
  const same = there.length === chips.length && chips.every((chip, i) => there[i]!.textContent === chip.key);
  if (!same) {
    box.replaceChildren(...chips.map((chip) => {
      const button = make('button', chip.key);
      button.setAttribute('type', 'button');
      button.addEventListener('click', (event) => actions.get(button)?.(button.getAttribute('aria-pressed') !== 'true', event.shiftKey || event.altKey));
      return button;
    }));
  }
  chips.forEach((chip, i) => {
    const button = box.children[i] as HTMLElement;
    button.title = chip.title;
    button.setAttribute('aria-pressed', String(chip.on));
    button.style.setProperty('--mark', chip.mark ?? '');
    actions.set(button, chip.act);
  });
}
