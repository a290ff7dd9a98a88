// The lesson as a page of its own, without the app.

function alone({ body, ...data }, main) {
  main.innerHTML = body;
  main.querySelector(".deeper").hidden = true; // it leads into the app
  new Lesson(main, data).attach();
}
