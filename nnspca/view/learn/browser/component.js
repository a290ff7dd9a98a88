// The door: one lesson for each place on the page, kept while the page around it is drawn anew.

const lessons = new WeakMap();

export default function ({ data, parentElement }) {
  let lesson = lessons.get(parentElement);
  if (!lesson || !parentElement.contains(lesson.box)) {
    lesson?.detach();
    lesson = new Lesson(parentElement, data);
    lessons.set(parentElement, lesson);
  }
  lesson.attach();
  return leaving(lesson);
}
