"""What docs/gallery.md says of each scene: what to look for, and what was published."""

# Particles, grid and minutes a frame of Stomakhin et al. 2013, table 3 (8 cores of Xeon X5550, 2.67 GHz).
PAPER = {
    "snowball_drop": (3.0e5, "600 × 300 × 600", 5.2), "wall_sticky": (3.0e5, "200 × 240 × 600", 7.3),
    "wall_slippery": (3.0e5, "200 × 240 × 600", 7.3), "double_smash": (6.0e5, "800 × 300 × 800", 13.3),
    "snowplow": (3.9e6, "150 × 50 × 300", 2.1), "rolling_snowball": (7.2e6, "200 × 240 × 470", 35.7),
    "siggraph": (7.5e5, "780 × 120 × 220", 4.7), "castle": (1.6e6, "360 × 160 × 560", 6.0),
    "walking": (3.0e6, "370 × 120 × 300", 15.7), "digging": (3.1e6, "280 × 110 × 340", 25.8),
    "the_end": (5.8e5, "700 × 120 × 210", 3.8),
}
# Particles and seconds of computing for 5 s of Battad and Dong, table 1 (Core i3-2100).
DENSITY_LIMITED = {  # seconds for DENSITY_LIMITED_SPANS of simulated time
    "density_drop": (4.36, 22.9, 45.3, 225), "density_column": (10.3, 49.8, 101, 514), "density_column_ball": (13.1, 65.9, 131, 679),
    "density_thrown_ball": (13.0, 65.0, 138, 667), "density_thrown_half_ball": (13.0, 67.8, 131, 672),
    "density_colliding_balls": (7.35, 38.3, 73.7, 374),
}
DENSITY_LIMITED_SPANS = (0.1, 0.5, 1.0, 5.0)

CHAPTERS = [
    ("Stomakhin et al. 2013", ["snowball_drop", "wall_sticky", "wall_slippery", "double_smash", "snowplow", "rolling_snowball", "siggraph",
                               "the_end", "castle", "walking", "crust", "digging", "wedge"]),
    ("De Jong 2015", ["snowball_fall", "small_into_big", "elastic_recovery", "points"]),
    ("Gurrin-Smith", ["ball_2d", "disc_2d", "slide_2d"]),
    ("Dance 2020", ["ball_slope", "ball_block", "sweep"]),
    ("Battad and Dong", list(DENSITY_LIMITED)),
]

# Variants that run beside the scene itself, to compare their numbers and, at a time (None: their ends), their looks.
COMPARED = {
    "snowball_drop": (None, ["even"]), "walking": (None, ["powder"]), "ball_slope": (None, ["slippery"]),
    "wedge": (None, ["lower_hardening", "lower_stiffness", "lower_compression", "lower_stretch", "lower_both"]),
    "ball_2d": (None, ["light"]), "disc_2d": (None, ["fine"]),
    "density_column": (0.5, ["firm", "flat", "snow"]), "density_thrown_ball": (0.1, ["sparse", "long_steps", "snow"]),
}

LOOK_FOR = {
    "snowball_drop": "The ball packs where it hits, shears off along the ground and leaves lumps; a ball of even snow (`--variant even`) "
                     "breaks less.",
    "wall_sticky": "Part of the ball stays on the wall, less of it the finer the grid; the rest tears off under its own "
                   "weight and falls in crumbs.",
    "wall_slippery": "The same ball at a wall without friction: nothing stays.",
    "double_smash": "Two balls meet a little off centre: packed where they touched; the rest bursts into lumps and powder.",
    "snowplow": "Snow climbs the hollow blade, curls forwards and falls in front of it: a tube that turns against the wheels.",
    "rolling_snowball": "The ball packs the cover under it, which sticks to it, tears at the sides of the track and goes round with it: "
                        "bare meadow stays behind. Then it hits the snowman.",
    "siggraph": "Thin strokes break first; packed letters stand.",
    "the_end": "As SIGGRAPH, with letters that stand alone.",
    "castle": "A ball swings through the corner tower and the keep; walls break into slabs.",
    "walking": "The crust breaks under the feet and is pressed into the powder; prints keep their walls. The legs go where their "
               "files say, so prints without a crust (`--variant powder`) are as deep; walking takes less work there.",
    "crust": "A ball breaks through a crust of three centimetres.",
    "digging": "Every stroke leaves a hole with a torn rim; the surface becomes uneven.",
    "wedge": "Figure 8: six sets of parameters, `--variant lower_hardening`, `lower_stiffness`, `lower_compression`, `lower_stretch`, "
             "`lower_both`. The less stretch the snow bears, the more of it is powder; less hardening or stiffness makes it give way "
             "instead.",
    "snowball_fall": "A straight fall: flattened below, and it does not bounce. `fine` and `finest` show the same at a half and a "
                     "quarter of the spacing.",
    "small_into_big": "The large ball is dented and pushed back.",
    "elastic_recovery": "A body that never yields, squeezed into a ball, swings up to the taller shape it has at rest.",
    "points": "Snow from a file of points.",
    "ball_2d": "Two dimensions at h = 0.05. `light` has a density of 100 kg/m³ and particles of 0.05 kg.",
    "disc_2d": "The same disc of 1,000 particles, whatever the cells are: at h = 0.05 three in a cell, and snow; at h = 0.01 (`fine`) "
               "hardly two of them meet, and it deflates into itself. With enough of them fine snow stays snow: "
               "`firn run ball_2d --variant fine`.",
    "slide_2d": "A block on a slope in two dimensions.",
    "ball_slope": "It rests, for friction exceeds the slope's tangent; `--variant slippery` slides.",
    "ball_block": "The two become one heap, without bouncing and without acting on each other from afar.",
    "sweep": "A blade gathers a layer.",
    "density_drop": "A pile, then a line: this method has no rest above the ground.",
    "density_column": "The limit decides how fast the column sinks: `firm`, `flat`. In the end all of it lies in the cells at the ground, "
                      "and nothing has moved sideways; as snow with stress (`snow`) it stands.",
    "density_column_ball": "The border between ball and column stays: nothing spreads sideways.",
    "density_thrown_ball": "The column takes the ball in; with `long_steps` it passes through. As snow with stress (`snow`) ball and "
                           "column dent each other, and the column leans over as a whole.",
    "density_thrown_half_ball": "The same ball at half the height.",
    "density_colliding_balls": "Two discs thrown at each other.",
}
