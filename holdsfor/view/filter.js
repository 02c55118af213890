// What the filter means: the name of an entity stands for that entity alone; otherwise every word, or text in quotes, must be found.
function chooser(text) {
  const alone = data.entities.indexOf(text.trim());
  if (alone >= 0) return (lane) => lane.entity === alone;
  const words = (text.match(/"[^"]*"|\S+/g) || []).map((word) => word.replace(/^"|"$/g, "").toLowerCase()).filter(Boolean);
  return (lane) => words.every((word) => lane.search.includes(word));
}
