"""A class in one room: students paint on their phones, and every attempt stands under one proven upper bound."""
