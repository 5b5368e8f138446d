// The state of the page is its address, so a link shows what its sender saw. Names and values are the API's
// parameters, plus `view`.

// { view: 'comparison', workload: 'gpt2', instance_type: ['a', 'b'] }: a list where a name occurs twice.

export const state = () => {
  const result = Object.create(null); // a name may be "constructor"
  for (const [name, value] of new URLSearchParams(location.search)) {
    if (name in result) result[name] = [result[name], value].flat();
    else result[name] = value;
  }
  return { view: 'comparison', ...result };
};

// The address of this state with changes; null removes a name. Another view starts with an empty
// state.
export const href = (changes, from = changes.view ? {} : state()) => {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...from, ...changes }))
    for (const each of [value].flat())
      if (each !== null && each !== undefined && each !== '' && !(name === 'view' && each === 'comparison'))
        query.append(name, each);
  const text = query.toString();
  return text ? `/?${text}` : '/';
};

let listener = () => {};
export const onChange = (call) => {
  listener = call;
};

// Goes to that state without loading the page. `replace`: adds no entry to the history (typing).
export const go = (changes, { replace = false, from } = {}) => {
  const target = href(changes, from);
  if (target === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', target);
  listener();
};

addEventListener('popstate', () => listener());

// Links within the page are changes of state.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const target = new URL(link.href);
  if (target.origin !== location.origin || target.pathname !== '/' || target.hash || link.target) return;
  event.preventDefault();
  history.pushState(null, '', target);
  listener();
});
